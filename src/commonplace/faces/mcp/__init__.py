"""The Model Context Protocol: its JSON in both eras, its methods, and the loop on standard input
and output.
"""
