"""Training on episodes of many turns: rollouts, the rows that are learnt from, and trainers of them."""
