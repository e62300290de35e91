"""Trainings that are recorded from start to end, for the callbacks of Keras, Lightning, Transformers and Accelerate."""
