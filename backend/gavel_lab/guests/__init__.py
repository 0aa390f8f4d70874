"""Guests of the lab that push their disk counters, as an unchanged Telegraf on Linux does."""
