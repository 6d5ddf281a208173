"""Tournaments between agents: openings, games, matches, round robins, knock-outs, and statistics on their results.

A game is a `play.Job`, which any process can play; its result is a `play.Played`, a line of a `record.Record`.
`record.GameRunner` plays the jobs missing from the record, here or on a cluster. `elo` evaluates results in pairs, as
every opening is played twice, with the sides exchanged.
"""
