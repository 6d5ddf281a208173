"""What a picture is made of before it is known what it shows: line segments, ridges, weaves, quadrangles, features."""
