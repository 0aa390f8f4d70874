"""Results of vdbench: flatfile.html with a row per interval, or the means of totals.html."""
