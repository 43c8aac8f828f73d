"""What the three aesthetics tasks add to an evaluation: the tables of AesEval-Bench, its tests, and pages to look at."""
