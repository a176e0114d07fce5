--- @flags allow-oom
-- Reply: the time of the commands, Unix milliseconds.
--- @include clock
return NOW
