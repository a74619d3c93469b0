//! Queue of jobs for the writer. Appending holds the lock only for a push; the writer never holds it while it writes.

use super::Job;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// More jobs than this waiting is a failure to be reported: some 50 rounds, or a disk that takes minutes for a commit.
const BOUND: usize = 1024;

#[derive(Debug, Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// Jobs between the control thread and the writer.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

/// What the writer is to do next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Everything that waited.
    Jobs(Vec<Job>),
    /// Nothing came in the time allowed.
    Nothing,
    /// Nothing waits, and nothing will come any more.
    Closed,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job at the end; the error is how many wait when that is too many or when nobody takes them any more.
    pub(super) fn push(&self, job: Job) -> Result<(), usize> {
        let mut waiting = self.lock();
        waiting.jobs.push_back(job);
        let (closed, many) = (waiting.closed, waiting.jobs.len());
        drop(waiting);
        self.changed.notify_one();
        if closed || many > BOUND { Err(many) } else { Ok(()) }
    }

    /// Lets the writer finish what waits and end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits for jobs, `patience` at the longest.
    pub(super) fn next(&self, patience: Duration) -> Next {
        let waiting = self.lock();
        let idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.closed;
        let (mut waiting, _) =
            self.changed.wait_timeout_while(waiting, patience, idle).unwrap_or_else(PoisonError::into_inner);
        if !waiting.jobs.is_empty() {
            return Next::Jobs(waiting.jobs.drain(..).collect());
        }
        if waiting.closed { Next::Closed } else { Next::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::units::Seq;

    fn job(relayed: u64) -> Job {
        Job { records: Vec::new(), relayed: Seq(relayed), permit: None }
    }

    #[test]
    fn jobs_come_out_together_and_in_order() {
        let queue = Queue::default();
        assert_eq!(queue.next(Duration::ZERO), Next::Nothing);
        queue.push(job(1)).unwrap();
        queue.push(job(2)).unwrap();
        queue.close();
        assert_eq!(queue.next(Duration::ZERO), Next::Jobs(vec![job(1), job(2)]));
        assert_eq!(queue.next(Duration::from_secs(60)), Next::Closed);
    }

    #[test]
    fn too_many_are_reported_and_kept() {
        let queue = Queue::default();
        for n in 0..BOUND {
            queue.push(job(n as u64)).unwrap();
        }
        assert_eq!(queue.push(job(9)), Err(BOUND + 1));
        assert!(matches!(queue.next(Duration::ZERO), Next::Jobs(jobs) if jobs.len() == BOUND + 1));
    }
}
