"""Faceoff as an installed package: the command `faceoff`, and the product's tree in the folder `app`.

The tree is no package of the environment, since its rooms have names such as `web` and `config`.
"""
