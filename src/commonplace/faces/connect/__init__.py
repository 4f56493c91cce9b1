"""Set-up help: shows and makes the one change to a client's configuration that lets it speak to
this program.
"""
