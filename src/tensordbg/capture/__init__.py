"""Captures: one step of a program, whole, so that it can be run again anywhere without the program.

A capture is a folder that appears whole or not at all: it is written into a hidden folder, flushed and renamed.

    capture.json           what it is of, what went wrong, what the tensors are (`header.py`)
    batch.safetensors      what the step's function was given
    variables.safetensors  every variable that it reads, before the step
    function.pb            the function, with all that it calls (a TensorFlow FunctionDefLibrary)
    sites.jsonl stacks.jsonl sources.jsonl functions.jsonl   where its operations were created, as in a trace

Nothing in it is ever run or unpickled: tensors are in safetensors, functions in TensorFlow's own protobufs, all else
in JSON.
"""
