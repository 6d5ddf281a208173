"""The bus: agents' workers, started and watched, and what they may say when."""
