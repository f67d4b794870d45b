update log_leases l set committed = h.next
from log_heads h
where h.topic_id = l.topic_id and h.part = l.part
