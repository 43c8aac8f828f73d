"""What the aesthetics tasks add to an evaluation: the tables of AesEval-Bench, its tests, and pages to look at."""
