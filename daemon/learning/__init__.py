"""Learning while people play: boards that legal play confirmed, heads fitted to them, kept, tried and given up."""
