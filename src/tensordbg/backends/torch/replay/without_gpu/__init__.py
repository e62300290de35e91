"""Operations that only a GPU has, computed on a processor."""
