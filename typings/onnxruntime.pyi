from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

class SessionOptions:
    intra_op_num_threads: int
    enable_cpu_mem_arena: bool
    def add_session_config_entry(self, config_key: str, config_value: str) -> None: ...

class InferenceSession:
    def __init__(self, path_or_bytes: str, sess_options: SessionOptions) -> None: ...
    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]: ...
