"""Tables as people read and paste them."""
