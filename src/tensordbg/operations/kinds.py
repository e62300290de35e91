"""Kinds: what an operation computes, whatever its framework calls it."""

from __future__ import annotations

from enum import Enum, auto


class Kind(Enum):
    """The computation of an operation. `OTHER` is what no rule asks for, `GRADIENT` what differentiation made."""

    OTHER = auto()
    GRADIENT = auto()
    INPUT = auto()
    CONSTANT = auto()
    ARGUMENT = auto()
    BATCH = auto()
    """The next of an input pipeline."""

    IDENTITY = auto()
    IDENTITY_OF_SEVERAL = auto()
    """Output k is input k."""
    STOP_GRADIENT = auto()
    RESHAPE = auto()
    SQUEEZE = auto()
    EXPAND_DIMS = auto()
    TRANSPOSE = auto()
    PAD = auto()
    """It puts a number around a value, mostly zero."""
    PAD_WITH_OWN = auto()
    """It puts elements of a value around it: those at its edge, or mirrored ones."""
    BROADCAST = auto()
    SLICE = auto()
    GATHER = auto()
    CONCATENATE = auto()
    PACK = auto()
    UNPACK = auto()
    FILL = auto()
    ZEROS_LIKE = auto()
    ONE_HOT = auto()
    TOP_K = auto()
    SELECT = auto()
    MASKED_FILL = auto()
    """It puts one number in where something holds."""
    WHERE = auto()
    """It gives the positions of what holds."""
    CAST = auto()
    CLIP = auto()

    ADD = auto()
    ADD_MANY = auto()
    ADD_BIAS = auto()
    SUBTRACT = auto()
    MULTIPLY = auto()
    MULTIPLY_NO_NAN = auto()
    MULTIPLY_BY_LOG = auto()
    """The first operand times the logarithm of the second, zero where the first is."""
    DIVIDE = auto()
    DIVIDE_NO_NAN = auto()
    DIVIDE_WHOLE = auto()
    REMAINDER = auto()
    RECIPROCAL = auto()
    NEGATE = auto()
    ABSOLUTE = auto()
    SIGN = auto()
    ROUND = auto()
    SQUARE = auto()
    SQUARED_DIFFERENCE = auto()
    HUBER_LOSS = auto()
    """Of a difference, its square where that is small, else its magnitude."""
    POWER = auto()
    SQRT = auto()
    RSQRT = auto()
    EXP = auto()
    LOG = auto()
    LOG1P = auto()
    MAXIMUM = auto()
    MINIMUM = auto()

    SUM = auto()
    CUMULATIVE_SUM = auto()
    MEAN = auto()
    PRODUCT = auto()
    MAX = auto()
    MIN = auto()
    STANDARD_DEVIATION = auto()
    """Or its square; some give the mean as well."""
    LOG_DETERMINANT = auto()

    MATMUL = auto()
    EINSUM = auto()
    CONVOLUTION = auto()
    NORMALISE = auto()
    DROPOUT = auto()
    """What a dropout drops, or the result of one; also what else is drawn true or false."""
    AVERAGE_POOL = auto()
    MAX_POOL = auto()

    RELU = auto()
    RELU6 = auto()
    LEAKY_RELU = auto()
    ELU = auto()
    SELU = auto()
    GELU = auto()
    SILU = auto()
    """What goes in times its sigmoid, also called Swish."""
    SOFTPLUS = auto()
    SOFTSIGN = auto()
    SIGMOID = auto()
    TANH = auto()
    ERF = auto()
    """The error function, by which a normal distribution is summed up."""
    ERFC = auto()
    """1 less the error function."""
    SOFTMAX = auto()
    LOG_SOFTMAX = auto()
    SOFTMAX_LOSS = auto()
    """A cross-entropy of logits, with a label for each class."""
    SPARSE_SOFTMAX_LOSS = auto()
    ALIGNMENT_LOSS = auto()
    """It sums over all ways in which labels may lie along a sequence."""
    """With the number of the class."""
    SIGMOID_LOSS = auto()
    """A cross-entropy of logits each of which is true or false."""
    LABEL_LOSS = auto()
    """The mean of the logarithms at the numbers of the classes, of those that count."""

    EQUAL = auto()
    EQUAL_NEARLY = auto()
    NOT_EQUAL = auto()
    LESS = auto()
    LESS_EQUAL = auto()
    GREATER = auto()
    GREATER_EQUAL = auto()
    AND = auto()
    OR = auto()
    NOT = auto()
    ALL = auto()
    ANY = auto()

    READ = auto()
    ASSIGN_ADD = auto()
    ASSIGN_SUBTRACT = auto()
    VARIABLE = auto()
    """What makes a variable and puts it out."""
    HANDLE = auto()
    """What gives the handle of a variable."""
    CASE = auto()
    ENTER = auto()
    """It hands a value into a loop."""
    TENSOR_ARRAY_GRADIENT = auto()
    RESTORE = auto()
    SWITCH = auto()
    """It hands what it takes to one of two outputs."""
    LOOP_CONDITION = auto()
    ASSERT = auto()
    """It fails where a condition does not hold."""
    NOTHING = auto()
    """What computes nothing and only waits."""
