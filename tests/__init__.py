"""The specification of Sixpane, laid out like the tree that it describes."""
