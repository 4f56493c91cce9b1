"""What a worker can do, by the kind of job."""

from commonplace.engine.facts import observation_writer, retain
from commonplace.engine.operations.worker import Tasks
from commonplace.engine.reflect import mental_models

TASKS: Tasks = {
    mental_models.JOB: mental_models.refresh,
    observation_writer.JOB: observation_writer.retell,
    retain.JOB: retain.read_again,
}
