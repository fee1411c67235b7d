"""Language kernels: long-lived child processes that keep state between blocks and speak framed JSON over pipes."""
