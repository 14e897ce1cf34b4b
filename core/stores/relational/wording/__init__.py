"""Words of questions, headers and cells in Portuguese and English: cutting, stems, lexicon, operators, numbers, dates."""
