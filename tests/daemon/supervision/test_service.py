"""The systemd unit is written, verified, replaced and removed below a fake root."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from daemon.cli.service import app
from daemon.config.settings import ROOT, SHIPPED, Config
from daemon.supervision.unit import MARK, unit_of


def service(*words: str) -> Result:
    return CliRunner().invoke(app, words, terminal_width=200)


def verify(path: Path, *words: str, folder: Path | None = None) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd-analyze on this machine")
    environment = {"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(folder or path.parent), "HOME": str(path.parent)}
    done = subprocess.run(
        [program, "verify", "--man=no", *words, str(path)], capture_output=True, text=True, env=environment, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def keys(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


def test_unit_waits_for_the_first_frame_wants_signs_of_life_and_takes_rights_away() -> None:
    result = service("unit", "--run-as", "board", "--name", "kitchen")
    assert result.exit_code == 0 and result.stderr == ""
    found = keys(result.stdout)
    assert found["Type"] == "notify" and found["WatchdogSec"] == "60" and found["Restart"] == "always"
    assert (
        found["User"] == "board" and found["RestartPreventExitStatus"] == "2" and found["StartLimitIntervalSec"] == "0"
    )
    assert found["ExecStart"] == f"{ROOT}/kibitzer run --config {SHIPPED}"
    assert (
        found["NoNewPrivileges"] == "yes"
        and found["ProtectSystem"] == "strict"
        and found["CapabilityBoundingSet"] == ""
    )
    # Compiled searches write code and run it; the camera and the sound card are devices.
    assert "MemoryDenyWriteExecute" not in found and "PrivateDevices" not in found
    assert "DeviceAllow=char-video4linux rw\nDeviceAllow=char-alsa rw\n" in result.stdout


def test_folders_of_record_log_profile_and_bundles_can_be_written_and_nothing_else() -> None:
    settings = Config.model_validate(
        {
            "journal": {"path": "/srv/record/games.sqlite"},
            "log": {"path": "/var/log/kibitzer/table.log"},
            "board": {"profile": "/srv/record/tables/kitchen.npz"},
        }
    )
    unit = unit_of(Path("/opt/kibitzer"), Path("/etc/kibitzer.toml"), settings, "board")
    assert keys(unit)["ReadWritePaths"].split() == [
        "-/opt/kibitzer/var",
        "-/opt/kibitzer/.numba_cache",
        "-/srv/record",
        "-/var/log/kibitzer",
    ]
    assert keys(unit)["ProtectHome"] == "yes"
    at_home = unit_of(Path("/home/ann/kibitzer"), Path("/etc/kibitzer.toml"), settings, "ann")
    assert keys(at_home)["ProtectHome"] == "read-only"


@pytest.mark.parametrize("own", [False, True])
def test_units_pass_systemds_own_check(tmp_path: Path, own: bool) -> None:
    path = tmp_path / "kibitzer.service"
    path.write_text(service("unit", *(["--user"] if own else ["--run-as", "root"])).stdout, encoding="utf-8")
    verify(path, *(["--user"] if own else []))


def test_paths_with_spaces_and_percent_signs_reach_systemd_whole(tmp_path: Path) -> None:
    checkout = tmp_path / "my board%i"
    checkout.mkdir()
    program = checkout / "kibitzer"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    path = tmp_path / "kibitzer.service"
    text = unit_of(checkout, checkout / "my $table.toml", Config(), "root")
    path.write_text(text, encoding="utf-8")
    verify(path)
    assert f'run --config "{tmp_path}/my board%%i/my $$table.toml"' in path.read_text(encoding="utf-8")


def test_install_writes_the_unit_says_what_to_run_and_uninstall_removes_it(tmp_path: Path) -> None:
    path = tmp_path / "etc/systemd/system/kibitzer.service"
    done = service("install", "--root", str(tmp_path), "--run-as", "nobody")
    assert done.exit_code == 0, done.stderr
    assert path.read_text(encoding="utf-8").startswith(MARK) and path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]
    for line in ("sudo systemctl daemon-reload", "sudo systemctl enable --now kibitzer", "journalctl -u kibitzer -f"):
        assert line in done.stderr
    assert service("install", "--root", str(tmp_path), "--run-as", "nobody").exit_code == 0, "ours may be replaced"
    gone = service("uninstall", "--root", str(tmp_path))
    assert gone.exit_code == 0 and not path.exists()
    assert "sudo systemctl disable --now kibitzer" in gone.stderr
    again = service("uninstall", "--root", str(tmp_path))
    assert again.exit_code == 2 and "there is no such unit" in again.stderr


def test_unit_of_somebody_elses_stays(tmp_path: Path) -> None:
    path = tmp_path / "etc/systemd/system/kibitzer.service"
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    refused = service("install", "--root", str(tmp_path), "--run-as", "nobody")
    assert refused.exit_code == 2 and "--force replaces it" in refused.stderr
    kept = service("uninstall", "--root", str(tmp_path))
    assert kept.exit_code == 2 and "it stays" in kept.stderr and path.exists()
    assert service("install", "--root", str(tmp_path), "--run-as", "nobody", "--force").exit_code == 0


def test_service_of_ones_own_lies_in_ones_own_folder_and_names_no_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/home/ann/.config")
    done = service("install", "--user", "--root", str(tmp_path), "--name", "kitchen")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "home/ann/.config/systemd/user/kitchen.service").read_text(encoding="utf-8")
    assert "User" not in keys(text) and keys(text)["WantedBy"] == "default.target"
    assert "systemctl --user enable --now kitchen" in done.stderr and "enable-linger" in done.stderr


def test_user_that_is_missing_comes_with_the_command_that_adds_it(tmp_path: Path) -> None:
    done = service("install", "--root", str(tmp_path), "--run-as", "nobody-at-all")
    assert "sudo useradd --system --no-create-home --groups video,audio nobody-at-all" in done.stderr


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--name", "../evil"], "--name '../evil'"),
        (["--name", ""], "--name ''"),
        (["--run-as", "a b"], "--run-as 'a b'"),
        (["--config", "/absent.toml"], "/absent.toml: cannot be read"),
    ],
)
def test_wrong_options_are_refused_by_name_and_nothing_is_written(tmp_path: Path, words: list[str], fault: str) -> None:
    done = service("install", "--root", str(tmp_path), *words)
    assert done.exit_code == 2 and fault in done.stderr and not list(tmp_path.iterdir())


def test_folder_that_may_not_be_written_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "etc").write_text("a file in the way", encoding="utf-8")
    done = service("install", "--root", str(tmp_path), "--run-as", "nobody")
    assert (done.exit_code == 2 and "Not a directory" in done.stderr) or "File exists" in done.stderr


def test_an_installed_program_keeps_its_state_where_systemd_makes_a_folder() -> None:
    program = Path("/opt/kibitzer/bin/kibitzer")
    config = Path("/etc/kibitzer/config.toml")
    settings = Config.model_validate({"log": {"path": "/var/log/kibitzer/table.log"}})
    found = keys(unit_of(Path("/opt/kibitzer/lib"), config, settings, "board", "kitchen", program))
    assert found["ExecStart"] == f"{program} run --config {config}"
    assert (found["StateDirectory"], found["CacheDirectory"]) == ("kitchen", "kitchen")
    assert found["ReadWritePaths"] == "-/var/log/kibitzer"
    assert "WorkingDirectory" not in found and "Documentation" not in found
    own = keys(unit_of(Path("/opt/kibitzer/lib"), config, settings, "", "kitchen", program))
    assert "StateDirectory" not in own
