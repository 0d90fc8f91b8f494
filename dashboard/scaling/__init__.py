"""What Scaling and softmax asks, says and draws; Overview shows a part of it."""
