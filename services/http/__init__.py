"""What API and streams share: who asks, what for, and how answers look."""
