"""PyTorch's types that hand on, choose or reshape what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.torch.words import names
from tensordbg.operations.traits import Trait

MOVING: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.PASSES: names(
            """
            _reshape_alias _unsafe_view alias clone contiguous detach flatten lift lift_fresh movedim permute reshape
            squeeze swapaxes t transpose unflatten unsqueeze view view_as_complex view_as_real
            """
        ),
        Trait.REARRANGES: names(
            """
            as_strided cat channel_shuffle constant_pad_nd diag_embed diagonal embedding expand flip gather im2col index
            index_select masked_select narrow pixel_shuffle pixel_unshuffle reflection_pad1d reflection_pad2d
            reflection_pad3d repeat replication_pad1d replication_pad2d replication_pad3d roll rot90 select slice split
            split_with_sizes stack take tril triu unbind unfold
            """
        ),
        Trait.MOVES: names(
            """
            _copy_from copy fill full full_like index_copy index_fill index_put masked_fill masked_scatter
            new_full scatter select_scatter slice_scatter sort topk unsafe_split upsample_nearest1d upsample_nearest2d
            upsample_nearest3d
            """
        ),
        Trait.NO_LARGER: names(
            """
            abs amax amin cat constant_pad_nd embedding flip gather hardtanh index index_select masked_select max
            maximum min minimum narrow neg relu repeat roll select slice split stack threshold
            threshold_backward tril triu unbind where
            """
        ),
        Trait.LIGHT: names(
            """
            _to_copy add amax amin clamp clamp_max clamp_min copy div exp masked_fill max maximum mean min minimum mul
            neg pow prod reciprocal rsub sqrt square sub sum where
            """
        ),
        Trait.SHAPE_ONLY: names("new_ones new_zeros ones ones_like zero zeros zeros_like"),
        Trait.LOOKS_UP: names("gather index index_select take"),
        Trait.CHOOSES: names("where"),
    }
)

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType({})
