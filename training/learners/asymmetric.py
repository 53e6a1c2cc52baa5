"""A policy whose actor sees the first columns of a row, and whose critic sees all of them."""

from typing import Any

from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn

from mjenv.training.learners.mlp import FirstColumns


class Asymmetric(ActorCriticPolicy):
    """Two perceptrons, of which the actor's sees less than the critic's (Pinto et al., 2018)."""

    def __init__(self, *arguments: Any, seen: int, **options: Any):
        """See `ActorCriticPolicy`.

        Args:
            *arguments: spaces and schedule.
            seen: columns that the actor sees.
            **options: others.
        """
        self._seen = seen
        super().__init__(*arguments, **options)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "seen": self._seen}

    def _build_mlp_extractor(self) -> None:
        super()._build_mlp_extractor()
        architecture: Any = self.net_arch
        narrow = MlpExtractor(self._seen, architecture, self.activation_fn, self.device)
        self.mlp_extractor.policy_net = nn.Sequential(FirstColumns(self._seen), *narrow.policy_net)
