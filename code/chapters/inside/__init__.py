"""The chapter that looks inside a real language model: experiments and figures."""
