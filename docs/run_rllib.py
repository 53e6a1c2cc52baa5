"""PPO of RLlib: two env runners, each with a vector environment of 64 worlds."""

import sys

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import MeanStdFilter
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

networks = {"fcnet_hiddens": [64, 64], "fcnet_activation": "tanh", "vf_share_layers": False}
learning = {"gamma": 0.98, "lambda_": 0.92, "lr": 6e-4, "num_epochs": 10, "minibatch_size": 1024}
limits = {"clip_param": 0.2, "vf_clip_param": float("inf"), "use_kl_loss": False}
config = (
    PPOConfig()
    .environment("mjenv:mjenv/HalfCheetah-v5")
    .env_runners(
        num_env_runners=2,
        num_envs_per_env_runner=64,
        gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT,
        env_to_module_connector=lambda env, spaces, device: MeanStdFilter(),
    )
    .training(train_batch_size_per_learner=8192, **learning, **limits)
    .rl_module(model_config=DefaultModelConfig(**networks))
)
if __name__ == "__main__":
    algorithm = config.build_algo()
    while algorithm.iteration < int(sys.argv[1]):
        found = algorithm.train()["env_runners"]
        print(found["num_env_steps_sampled_lifetime"], found.get("episode_return_mean"))
    algorithm.save_to_path(sys.argv[2])
