"""What the hooks keep and give back in a scripted working week."""
