"""Distribution: questions, jobs and their ledger, the coordinator, Ray, the command line."""
