"""The zeros that a convolution has put around its input, as numbers: frameworks say it in unlike ways.

One has a word for it, `SAME`, which means as many as the stride needs, and of an odd number one more behind than in
front; another has a number for each axis of space, which is put on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

Shape = Sequence[int]
_OF_ONE_AXIS = 3
"""So many axes have the values of a convolution along one axis of space, with the batch and the channels."""


def around(padding: object, stride: object, dilation: object, sizes: tuple[Shape, Shape] | None) -> object:
    """Tells for each axis of space how many zeros are put in front and behind; what can't be told stays as it is.

    Args:
        padding: As it was given: a word, a list of numbers, or one of those in front and behind.
        stride: A number for each axis of space.
        dilation: Likewise; `None` for none.
        sizes: Of the input and of the kernel along each axis of space; `None` where they are not known.
    """
    if isinstance(padding, list) and all(isinstance(each, int) for each in padding):
        return [[each, each] for each in padding]
    if isinstance(padding, list):
        return padding
    if padding == "VALID" and isinstance(stride, list):
        return [[0, 0] for _ in stride]
    if sizes is None or not isinstance(stride, list) or len(stride) != len(sizes[0]):
        return padding
    if padding != "SAME":
        return padding
    dilations = dilation if isinstance(dilation, list) and len(dilation) == len(stride) else [1] * len(stride)
    return [_same(*each) for each in zip(*sizes, stride, dilations, strict=True)]


def spatial_sizes(output: Shape, inputs: Sequence[Shape], layout: str) -> tuple[Shape, Shape] | None:
    """Tells the sizes of input and kernel along the axes of space.

    Args:
        output: The shape of what is computed.
        inputs: Those of what goes in, in either run; the channels of the input are last or behind the batch, those of
            the kernel last.
        layout: The letters of the axes of the output, such as `NHWC`.
    """
    channel, first = layout.find("C"), next((at for at, axis in enumerate(layout) if axis not in "NC"), -1)
    if len(output) != len(layout) or channel < 0:
        return None
    if output[first] == 1 and len(layout) > _OF_ONE_AXIS:  # which is put in for a convolution along one axis
        found = spatial_sizes((*output[:first], *output[first + 1 :]), inputs, layout[:first] + layout[first + 1 :])
        if found is not None:
            return [1, *found[0]], [1, *found[1]]
    full = [shape for shape in inputs if len(shape) == len(layout)]
    for kernel in full:
        for data in full:
            if data is kernel or data[0] != output[0] or kernel[-1] != output[channel]:
                continue
            if data[-1] % kernel[-2] == 0:
                return list(data[1:-1]), list(kernel[:-2])
            if data[1] % kernel[-2] == 0:
                return list(data[2:]), list(kernel[:-2])
    return None


def _same(size: int, kernel: int, stride: int, dilation: int) -> list[int]:
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return [total // 2, total - total // 2]
