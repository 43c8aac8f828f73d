"""The command line `designgym`: a small dispatcher that loads each command where it is used."""
