select
  bus,
  accepting as "isAccepting"
from log_state
