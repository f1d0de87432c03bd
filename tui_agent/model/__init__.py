"""The model's side: the only package that knows HTTP. Importing it is cheap; the SDK comes in at the first request."""
