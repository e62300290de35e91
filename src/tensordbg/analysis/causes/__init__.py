"""Why an operation gave what it gave: small rules over the statistics of what went in and what came out."""
