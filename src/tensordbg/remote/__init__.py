"""Traces in object storage: `s3://bucket/run`, and whatever else fsspec knows.

What is asked of such a trace is brought into a folder of this process, as far as it is asked: small files whole, of
large ones only the bytes that are read (`copies.py`, `holes.py`). So all that reads a trace reads regular files, under
the same rules as ever, and `tensordbg.opening` has them brought. A copy goes when the process ends.

`uploading.py` is the way back: what `tdbg run --out s3://...` has written on the local disk is put there, in an order
in which a reader never finds a part named that is not there. fsspec is imported in `storage.py` alone, where
it is needed.
"""
