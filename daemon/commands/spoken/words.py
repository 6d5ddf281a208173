"""The words of each language beside those that commands declare: letters, numbers, answers. No others count."""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Mapping

from daemon.commands.command import DECLARED

LETTERS = "abcdefghijklmnopqrst"
"""Columns of the largest board."""
ALPHABET = (
    "alpha/alfa bravo charlie delta echo foxtrot golf hotel india juliet/juliett kilo lima mike november oscar papa "
    "quebec romeo sierra tango"
)
"""The spelling alphabet, which people use in every language where letters are misheard."""


PLACE = re.compile(r"\{(cell|piece)\}")
"""What stands for a name in the words of a command."""


@dataclasses.dataclass(frozen=True)
class Asking:
    """One way of asking about something that has a name."""

    verb: str
    """Name of the command whose argument it is."""
    kind: str
    """`cell` or `piece`."""
    before: tuple[str, ...]
    """The words before the name."""
    after: tuple[str, ...]
    written: str
    """All of it as it is spelled, with `{cell}` or `{piece}` in the name's place."""


@dataclasses.dataclass(frozen=True)
class Words:
    """The words of one language, as `plain` writes them; one meaning may have several words, and a word blanks."""

    letters: Mapping[str, str]
    numbers: Mapping[str, str]
    between: frozenset[str]
    """What may stand between the cells of a move, and means nothing by itself."""
    polite: frozenset[str]
    """What may stand at either end."""
    verbs: Mapping[str, str]
    """Names of commands, `yes` and `no` by the words for them."""
    written: Mapping[str, str]
    """The words for verbs as they are spelled, with all their marks."""
    counts: Mapping[str, str]
    """Numbers of cells that have no letter, up to HIGHEST."""
    choosing: tuple[str, ...]
    """What may stand before the name of a choice that the board does not show: "promote to", knight."""
    asking: tuple[Asking, ...]
    """Ways of asking, those of most words first."""
    fields: tuple[str, ...]
    """What may stand before the name of a cell: "square" e4. A grammar has the first one alone: short words are heard
    where none was said."""


_TABLES: dict[str, dict[str, str]] = {
    "en": {
        "letters": "ay be/bee see/cee/sea dee ee ef/eff gee aitch eye jay kay el/ell em en oh pee cue/queue ar ess tee",
        "numbers": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen",
        "tens": "twenty thirty forty fifty",
        "joint": "",
        "between": "to takes take taking captures and",
        "choosing": "promote to/promote to a/promotes to a/becomes a/it becomes a/make it a/it is a/it was a",
        "fields": "square/field/point/cell",
        "polite": "please",
        "yes": "yes/yes i did/yeah/that is right",
        "no": "no/no i did not/nope",
    },
    "ro": {
        "letters": "_ be/bî ce/cî de/dî _ ef/fe/fî ge/ghe/gî haș/ha/hî _ je/jî/jot ka/ca el/le/lî em/me/mî en/ne/nî _ "
        "pe/pî chiu er/re/rî es/sî te/tî",
        "numbers": "unu doi trei patru cinci șase șapte opt nouă zece unsprezece doisprezece treisprezece paisprezece "
        "cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece",
        "tens": "douăzeci treizeci patruzeci cincizeci",
        "joint": "și",
        "between": "la spre ia iau bate bat scoate scot",
        "choosing": "promovează în/promovez în/promovează/transformă în/devine/este un/este o/e un/e o",
        "fields": "câmpul/pătratul/punctul/poziția",
        "polite": "te rog/vă rog",
        "yes": "da",
        "no": "nu",
    },
    "pl": {
        "letters": "_ be ce de _ ef gie/ge ha _ jot ka el em en _ pe ku er es te",
        "numbers": "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście "
        "czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście",
        "tens": "dwadzieścia trzydzieści czterdzieści pięćdziesiąt",
        "joint": "",
        "between": "na do bije zbija zdejmuje",
        "choosing": "promocja na/promuj na/promuję na/przemiana/przemiana w/zamień na/to jest",
        "fields": "polu/pole/punkcie/punkt/polem",
        "polite": "proszę",
        "yes": "tak",
        "no": "nie",
    },
    "vi": {
        "letters": "_ bê/bờ xê/cê/cờ dê/đê/dờ/đờ _ ép/ép_phờ/phờ giê/gờ hát/hắt/hờ _ gi/di ca e_lờ/lờ "
        "em_mờ/mờ en_nờ/nờ _ pê/pờ quy/cu e_rờ/rờ ét/ét_sì/sờ tê/tờ",
        "numbers": "một hai ba bốn/tư năm sáu bảy/bẩy tám chín mười mười_một mười_hai mười_ba mười_bốn mười_lăm "
        "mười_sáu mười_bảy mười_tám mười_chín",
        "tens": "hai_mươi ba_mươi bốn_mươi năm_mươi",
        "joint": "",
        "units": "mốt/một hai ba bốn/tư lăm/năm sáu bảy/bẩy tám chín",
        "between": "đến tới sang qua ăn bắt đi lấy và",
        "choosing": "phong/phong thành/phong cấp/phong cấp thành/thành/đó là",
        "fields": "ô/điểm",
        "polite": "làm ơn/nhé",
        "yes": "có/đúng/đúng rồi/vâng/phải",
        "no": "không/không phải/sai rồi",
    },
    "pt-br": {
        "letters": "_ bê cê dê _ efe gê agá _ jota ká/cá ele eme ene _ pê quê erre esse tê",
        "numbers": "um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze "
        "dezesseis dezessete dezoito dezenove",
        "tens": "vinte trinta quarenta cinquenta",
        "joint": "e",
        "between": "para pra até captura toma come tira",
        "choosing": "promover a/promove a/promove para/promoção a/vira/vira um/vira uma/é um/é uma",
        "fields": "casa/ponto",
        "polite": "por favor",
        "yes": "sim",
        "no": "não",
    },
}
HIGHEST = 50
"""The highest number of a cell on a board whose cells are numbered."""
TONAL = "vi"
"""The language whose marks tell words apart; in the others recognisers and people leave them out."""
ANSWERS = ("yes", "no")


def _forms(forms: str | None) -> list[str]:
    return forms.split("/") if forms else []


VERBS = (
    *(name for name, known in DECLARED.items() if any(not PLACE.search(one) for one in _forms(known.spoken.get("en")))),
    *ANSWERS,
)
"""What can be said whole besides moves: names of commands, and answers."""


def spoken_forms(verb: str, language: str) -> list[str]:
    """The words for a verb that name nothing else, as they are spelled."""
    forms = _TABLES[language][verb] if verb in ANSWERS else DECLARED[verb].spoken[language]
    return [form for form in _forms(forms) if not PLACE.search(form)]


def _asking(language: str) -> tuple[Asking, ...]:
    found = []
    for name, known in DECLARED.items():
        for form in _forms(known.spoken.get(language)):
            if (place := PLACE.search(form)) is not None:
                parts = form[: place.start()], form[place.end() :]
                before, after = (tuple(plain(part, language).split()) for part in parts)
                found.append(Asking(name, place[1], before, after, form))
    return tuple(sorted(found, key=lambda one: -len(one.before + one.after)))


def plain(text: str, language: str) -> str:
    """The text as words are compared: small letters, single blanks, no punctuation, `d6` as `d 6`.

    Without the marks of letters too, except in Vietnamese.
    """
    small = unicodedata.normalize("NFC" if language == TONAL else "NFD", text.casefold().replace("ł", "l"))
    bare = "".join(letter for letter in small if not unicodedata.combining(letter))
    written = re.sub(r"(?<=\d)x(?=[a-t]\d)", " ", bare)
    apart = re.sub(r"(?<=\d)(?=[^\W\d])|(?<=\b[a-t])(?=\d)", " ", written)
    return " ".join(re.findall(r"[^\W_]+", apart))


@functools.cache
def words_of(language: str) -> Words:
    table = _TABLES[language]

    def meanings(names: str) -> list[list[str]]:
        return [[plain(one.replace("_", " "), language) for one in entry.split("/")] for entry in names.split()]

    def phrases(name: str) -> list[str]:
        return [plain(phrase, language) for phrase in table[name].split("/")]

    letters = {letter: letter for letter in LETTERS}
    for names in (ALPHABET, table["letters"]):
        letters |= {
            name: letter for letter, own in zip(LETTERS, meanings(names), strict=True) for name in own if name.strip()
        }
    numbers = {str(number): str(number) for number in range(1, 20)}
    numbers |= {name: str(number) for number, own in enumerate(meanings(table["numbers"]), 1) for name in own}
    told = [(plain(form, language), form, verb) for verb in VERBS for form in spoken_forms(verb, language)]
    verbs = {phrase: verb for phrase, _, verb in told}
    written = {phrase: form for phrase, form, _ in told}
    between = frozenset(plain(word, language) for word in table["between"].split())
    units = meanings(table.get("units", " ".join(table["numbers"].split()[:9])))
    counts = dict(numbers)
    for ten, own in enumerate(meanings(table["tens"]), 2):
        counts |= {name: str(10 * ten) for name in own}
        counts |= {
            plain(f"{name} {table['joint']} {unit}", language): str(10 * ten + number)
            for name in own
            for number, names in enumerate(units, 1)
            for unit in names
        }
    counts = {name: number for name, number in counts.items() if int(number) <= HIGHEST}
    counts |= {str(number): str(number) for number in range(1, HIGHEST + 1)}
    choosing = tuple(phrases("choosing"))
    polite, fields = frozenset(phrases("polite")), tuple(phrases("fields"))
    return Words(letters, numbers, between, polite, verbs, written, counts, choosing, _asking(language), fields)
