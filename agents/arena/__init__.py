"""Where agents meet: openings, games, matches, round robins and knock-outs, and what their results are worth.

A game is a `play.Job`, which any process can play; what came of it is a `play.Played`, a line of a `record.Record`.
`game_runner.GameRunner` plays jobs that the record does not hold yet, here or over a cluster. `elo` and `sprt` judge
results in pairs: every opening is played twice, with the sides exchanged.
"""
