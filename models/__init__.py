"""How the weights are made (synthetic cards, scenes, training, evaluation, export), and the weights with their card."""
