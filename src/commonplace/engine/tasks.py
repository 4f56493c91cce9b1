"""What a worker can do, by the kind of job."""

from commonplace.engine import mental_models, retaining, retelling
from commonplace.engine.worker import Tasks

TASKS: Tasks = {
    mental_models.JOB: mental_models.refresh,
    retelling.JOB: retelling.retell,
    retaining.JOB: retaining.read_again,
}
