"""The task functions of a worker, by kind of job."""

from commonplace.engine.facts import observation_writer, retain
from commonplace.engine.operations.worker import Tasks
from commonplace.engine.reflect import mental_models

TASKS: Tasks = {
    mental_models.JOB: mental_models.run_refresh_job,
    observation_writer.JOB: observation_writer.rewrite_observations,
    retain.JOB: retain.extract_with_model,
}
