"""PDF pages: words with places, then tables, columns, headings and paragraphs."""
