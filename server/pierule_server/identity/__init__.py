"""Who a client is: tokens, the operators' own identity provider, and what names look like."""
