"""Names of the settings of algorithms, as `mjenv train --help` prints them."""

# for --help, which works without the packages of training; a test compares it with the settings
SETTINGS = (
    "Settings of all algorithms: training_env_kwargs. Of PPO: steps, n_envs, n_steps, batch_size, "
    "n_epochs, learning_rate, gamma, gae_lambda, clip_range, ent_coef, vf_coef, max_grad_norm, "
    "net_arch, log_std_init, learning_rate_schedule, clip_schedule, ent_coef_schedule, target_kl, "
    "critic_arch, activation, normalize_rewards, log_std_final, noise_correlation, "
    "init_at_random_ep_len, actor_group, critic_group. Of SAC, FastSAC, TQC and TD3: steps, "
    "n_envs, gradient_steps, buffer_size, learning_starts, batch_size, learning_rate, gamma, "
    "n_steps, tau, net_arch, learning_rate_schedule, critic_arch, activation, normalize, "
    "actor_group, hindsight, noise, noise_most, noise_correlation; of all but TD3 also "
    "ent_coef_init, ent_coef, ent_coef_schedule, of TQC dropped. Of ARS: steps, n_delta, n_top, "
    "delta_std, delta_std_final, learning_rate, learning_rate_schedule, alive_bonus_offset, "
    "n_eval_episodes. Of DrQ: steps, n_envs, gradient_steps, action_repeat, frame_stack, "
    "buffer_size, learning_starts, batch_size, learning_rate, learning_rate_schedule, gamma, "
    "n_steps, tau, shift, noise, noise_most, target_noise, features, net_arch. What they mean: "
    "docs/learning.md#settings."
)
