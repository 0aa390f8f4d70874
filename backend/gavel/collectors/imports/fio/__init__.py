"""Results of fio: JSON as `--output-format=json` and `json+` write it, from fio 2 on."""
