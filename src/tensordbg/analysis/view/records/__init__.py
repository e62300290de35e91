"""Events without reading them one by one: columns, rows, sites, and sums by source line."""
