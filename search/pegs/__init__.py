"""How peg solitaire is played: boards drawn as text, jumps, symmetries and what no jump can change."""
