"""What every text needs: hidden characters taken out, spellings made alike, and little words that tell a language."""
