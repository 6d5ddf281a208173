"""Who answers "what would you play?": messages, worker process, search, arena."""
