"""The rules' side of the table: what explains a reading, the line of play believed, and the referee, who decides."""
